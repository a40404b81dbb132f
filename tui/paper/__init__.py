"""What is written on the screen, as rows of inked pieces; knows no widget and no terminal."""
