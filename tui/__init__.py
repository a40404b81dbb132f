"""What a person sees and presses, on the screen and on the command line."""
