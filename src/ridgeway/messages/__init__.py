"""Messages to the user: progress, warnings, numbers and quantities as text."""
