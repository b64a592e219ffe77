/**
 * Limits for each user, so that one user cannot block the others: a rate limit for requests and a
 * maximum number of open streams.
 */
@NullMarked
package dev.berth.http.limit;

import org.jspecify.annotations.NullMarked;
