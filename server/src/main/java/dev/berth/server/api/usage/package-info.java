/** GPU usage of each user in a period. */
@NullMarked
package dev.berth.server.api.usage;

import org.jspecify.annotations.NullMarked;
