chandler_fuzz(backup DEPS storage)
