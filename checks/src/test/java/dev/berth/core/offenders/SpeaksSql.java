package dev.berth.core.offenders;

import java.sql.Connection;

/** Offends by SQL outside the store. */
public record SpeaksSql(Connection connection) {}
