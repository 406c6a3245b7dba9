-- The privilege `data_view` lets nobody see more until somebody is made `data_viewer`: owners, managers and viewers see
-- all of it already. So every tenant and organization has it, as new ones do.
update tenants set privileges = privileges || '{data_view}' where not 'data_view' = any(privileges);
update organizations set privileges = privileges || '{data_view}' where not 'data_view' = any(privileges);
