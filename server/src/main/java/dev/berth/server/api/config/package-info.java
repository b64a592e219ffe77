/** The configuration, the scheduling rules and the settings of the server. */
@NullMarked
package dev.berth.server.api.config;

import org.jspecify.annotations.NullMarked;
