/** When waiting tasks will start and end: the planner run forward on expected run times. */
@NullMarked
package dev.berth.core.forecast;

import org.jspecify.annotations.NullMarked;
