/** The older experiment API, on the same drafts and tasks. */
@NullMarked
package dev.berth.server.api.experiment;

import org.jspecify.annotations.NullMarked;
