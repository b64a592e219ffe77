/**
 * Watches the free space of the file system that holds Berth's files. This package only detects
 * that space is <em>low</em>. Other parts decide what follows: shorter logs, no starts, one alert.
 */
@NullMarked
package dev.berth.node.disk;

import org.jspecify.annotations.NullMarked;
