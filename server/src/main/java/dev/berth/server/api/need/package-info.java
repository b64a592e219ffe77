/** What a task requires of GPUs: read from a request and shown in a response. */
@NullMarked
package dev.berth.server.api.need;

import org.jspecify.annotations.NullMarked;
