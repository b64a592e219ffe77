/** Models, and the workers that keep them loaded. */
@NullMarked
package dev.berth.core.model;

import org.jspecify.annotations.NullMarked;
