"""What the commands share: options of orders, lines to print, how a command ends."""
