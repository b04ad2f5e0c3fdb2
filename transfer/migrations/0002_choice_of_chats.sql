ALTER TABLE chat_importedchat ADD CONSTRAINT chat_importedchat_run_id_fk
  FOREIGN KEY (user_id, run_id) REFERENCES chat_importrun (user_id, id)
  ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
