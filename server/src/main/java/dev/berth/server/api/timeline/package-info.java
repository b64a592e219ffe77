/** What ran on the GPUs, and what will probably run. */
@NullMarked
package dev.berth.server.api.timeline;

import org.jspecify.annotations.NullMarked;
