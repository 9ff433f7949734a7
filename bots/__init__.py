"""The bots that come with Fairdeal: one file each; bots of one game in that game's folder."""
