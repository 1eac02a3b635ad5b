/**
 * The {@code leasehold} command. {@link io.leasehold.cli.Main} reads the arguments; {@link
 * io.leasehold.cli.RunCommand} runs a command under a lock, {@link io.leasehold.cli.Guard} ends it
 * when the lease is in danger; {@link io.leasehold.cli.OnceRun} runs one whose outcome is recorded;
 * the rest shows what is held.
 */
@NullMarked
package io.leasehold.cli;

import org.jspecify.annotations.NullMarked;
