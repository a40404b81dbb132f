"""The past of a thread: timeline, comparison, forks, replays."""
