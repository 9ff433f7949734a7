"""Reports: estimates from stored results. They read the store and never play."""
