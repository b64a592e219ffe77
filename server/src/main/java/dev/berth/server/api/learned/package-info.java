/** The routes to what Berth has learned from ended runs. */
@NullMarked
package dev.berth.server.api.learned;

import org.jspecify.annotations.NullMarked;
