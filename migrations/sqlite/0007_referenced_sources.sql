-- Sources that are no upload: a JSON array of the paths of their files, which are nobody's to delete.
ALTER TABLE sources ADD COLUMN files TEXT;
