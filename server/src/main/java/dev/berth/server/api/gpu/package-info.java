/** GPUs: their state and holders, quarantine and recovery. */
@NullMarked
package dev.berth.server.api.gpu;

import org.jspecify.annotations.NullMarked;
