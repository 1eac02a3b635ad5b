create table account (id bigint primary key, cents bigint not null, token bigint not null default 0);
create table orders (id bigint primary key, cents bigint not null, paid_by text not null, shipped_by text);
create table report (id bigserial primary key, made_by text not null, unshipped bigint not null);
insert into account (id, cents) values (1, 100000), (2, 100000);
