"""What stands in a thread, read and told: situation, request, warnings."""
