/**
 * Follows the logs of running attempts and reports their progress. An attempt is <em>stalled</em>
 * if it has shown a rate and then makes no progress for much longer than that rate explains.
 */
@NullMarked
package dev.berth.node.progress;

import org.jspecify.annotations.NullMarked;
