"""De Boers: hidden hands, diamonds, and stealing them."""
