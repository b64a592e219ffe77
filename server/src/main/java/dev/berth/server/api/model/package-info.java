/** Models and the workers that keep them loaded. */
@NullMarked
package dev.berth.server.api.model;

import org.jspecify.annotations.NullMarked;
