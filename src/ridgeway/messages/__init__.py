"""What the user is told while the library works: progress and warnings."""
