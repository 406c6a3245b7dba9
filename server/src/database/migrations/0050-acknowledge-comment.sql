alter table alarm_statuses add column acknowledge_comment text;
