"""Fraser Island: miners share their diamonds, or say so; two to eight players."""
