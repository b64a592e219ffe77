/** Alerts, and the receivers of notifications. */
@NullMarked
package dev.berth.server.api.alert;

import org.jspecify.annotations.NullMarked;
