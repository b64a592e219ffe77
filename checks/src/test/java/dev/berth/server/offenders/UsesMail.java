package dev.berth.server.offenders;

import jakarta.mail.Session;

/** Sends mail itself. */
public record UsesMail(Session session) {}
