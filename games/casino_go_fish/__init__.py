"""Casino Go Fish: Patrons against the Dealer, for two to five."""
