"""What stands on the disk: checkpoint files, the journal, the ledger. Knows SQL; draws nothing."""
