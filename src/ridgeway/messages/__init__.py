"""Messages to the user during a fit: progress and warnings."""
