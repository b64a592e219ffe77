/** What is known about attempts without the database, and the answers of a database about them. */
@NullMarked
package dev.berth.port.recover;

import org.jspecify.annotations.NullMarked;
