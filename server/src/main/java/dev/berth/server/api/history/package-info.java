/** Usage of GPUs and tasks over time. */
@NullMarked
package dev.berth.server.api.history;

import org.jspecify.annotations.NullMarked;
