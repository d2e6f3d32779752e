chandler_fuzz(backup DEPS storage READS storage/backup/backup_reader.cc storage/backup/backup_format.cc)
