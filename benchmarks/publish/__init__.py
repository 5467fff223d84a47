"""From results to pages: tables and plots of the documentation, made of the stored JSON alone."""
