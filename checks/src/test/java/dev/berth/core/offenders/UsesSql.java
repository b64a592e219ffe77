package dev.berth.core.offenders;

import java.sql.Connection;

/** Uses SQL outside store. */
public record UsesSql(Connection connection) {}
