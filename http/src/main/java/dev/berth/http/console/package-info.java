/**
 * The console's files, as the build put them on the class path. They contain no user data: the page
 * reads that through the API, which authenticates it.
 */
@NullMarked
package dev.berth.http.console;

import org.jspecify.annotations.NullMarked;
