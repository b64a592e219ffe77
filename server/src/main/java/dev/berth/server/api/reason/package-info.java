/** Why a task waits and why it cannot use a GPU, as JSON with a code, parameters and a text. */
@NullMarked
package dev.berth.server.api.reason;

import org.jspecify.annotations.NullMarked;
