/** The machines that run tasks. */
@NullMarked
package dev.berth.server.api.node;

import org.jspecify.annotations.NullMarked;
