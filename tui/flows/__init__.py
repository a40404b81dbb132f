"""What happens between a key and the desk: deciding, rejecting, editing, answering, quitting."""
