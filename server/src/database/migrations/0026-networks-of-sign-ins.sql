-- Where the user signed in: an IPv4 address or an IPv6 /64. Guesses from elsewhere do not slow down sign-ins from there.
alter table refresh_token_families add network text;
