package io.verbena.storage.host;

import io.verbena.storage.host.BlockCommandState.Event;
import java.util.ArrayDeque;

/** Requests that wait, and commands that wait to be repeated. Commands of requests are taken from a pool that never grows. */
final class Requests {
    private final ArrayDeque<BlockRequest> waiting = new ArrayDeque<>();
    private final ArrayDeque<BlockCommand> repeats = new ArrayDeque<>();
    private final BlockCommandCounts counts;
    private final BlockCommand[] free;
    private int freeCount;

    Requests(int commands) {
        free = new BlockCommand[commands];
        while (freeCount < commands) {
            free[freeCount++] = new BlockCommand();
        }
        counts = new BlockCommandCounts(commands);
    }

    BlockCommandCounts counts() {
        return counts;
    }

    private void on(BlockCommand command, Event event) {
        counts.on(command, event);
    }

    void add(BlockRequest request) {
        waiting.add(request);
    }

    /** The next command to send, of which {@link #sent} follows; {@link BlockCommand#NONE} if there is none. */
    BlockCommand next(ControllerLimits limits, long nowNs) {
        BlockCommand repeat = nextRepeat(nowNs);
        if (repeat != BlockCommand.NONE) {
            on(repeat, Event.REPEAT);
            return repeat;
        }
        while (!waiting.isEmpty() && freeCount > 0) {
            BlockRequest request = waiting.getFirst();
            request.fail(obstacle(request, limits));
            if (request.hasMore()) {
                BlockCommand command = free[--freeCount];
                request.issue(command, mostBlocks(request, limits));
                on(command, Event.ISSUE);
                if (!request.hasMore()) {
                    waiting.removeFirst();
                }
                return command;
            }
            waiting.removeFirst();
            endIfComplete(request);
        }
        return BlockCommand.NONE;
    }

    private BlockCommand nextRepeat(long nowNs) {
        for (int i = repeats.size(); i > 0; i--) {
            BlockCommand command = repeats.removeFirst();
            if (!command.request().namespace().present()) {
                giveUp(command, BlockRequest.GONE);
            } else if (command.remainingNs(nowNs) <= 0) {
                return command;
            } else {
                repeats.addLast(command);
            }
        }
        return BlockCommand.NONE;
    }

    private static int obstacle(BlockRequest request, ControllerLimits limits) {
        if (!request.namespace().present()) {
            return BlockRequest.GONE;
        }
        int needed = switch (request.opcode()) {
            case COMPARE -> ControllerLimits.COMPARE;
            case WRITE_ZEROES -> ControllerLimits.WRITE_ZEROES;
            case DATASET_MANAGEMENT -> ControllerLimits.DATASET_MANAGEMENT;
            case VERIFY -> ControllerLimits.VERIFY;
            default -> 0;
        };
        return (limits.optionalCommands() & needed) == needed ? BlockRequest.SUCCESS : BlockRequest.UNSUPPORTED;
    }

    private static long mostBlocks(BlockRequest request, ControllerLimits limits) {
        return switch (request.opcode()) {
            case FLUSH -> 0;
            case DATASET_MANAGEMENT -> 0xffff_ffffL;
            // NLB has 16 bits. Zeroes and verified blocks are not transferred, but targets limit them too, as one
            // transfer.
            default -> Math.clamp(limits.transferBytes() / request.namespace().blockBytes(), 1, 0x1_0000);
        };
    }

    /** The capsule of the command is sent. */
    void sent(BlockCommand command) {
        on(command, Event.SEND);
    }

    /** The target has answered that the command has failed, and it is to be sent once more. */
    void retry(BlockCommand command) {
        on(command, Event.RETRY);
        repeats.add(command);
    }

    /** The connection has ended before the answer, and the command is to be sent once more. */
    void lost(BlockCommand command) {
        on(command, Event.LOST);
        repeats.add(command);
    }

    /** The target has answered. */
    void answered(BlockCommand command, int status) {
        on(command, Event.ANSWERED);
        end(command, status);
    }

    private void giveUp(BlockCommand command, int status) {
        on(command, Event.GIVE_UP);
        end(command, status);
    }

    private void end(BlockCommand command, int status) {
        assert freeCount < free.length : "a command ends once";
        BlockRequest request = command.request();
        command.release();
        free[freeCount++] = command;
        request.onCommandEnded(status);
        endIfComplete(request);
    }

    private void endIfComplete(BlockRequest request) {
        if (request.hasEnded()) {
            // A request that failed in the middle still waits for its turn.
            if (!waiting.isEmpty() && waiting.getFirst() == request) {
                waiting.removeFirst();
            }
            request.owner().ended(request);
        }
    }

    /** Nothing will be executed any more. */
    void failAll(int status) {
        while (!repeats.isEmpty()) {
            giveUp(repeats.removeFirst(), status);
        }
        while (!waiting.isEmpty()) {
            BlockRequest request = waiting.removeFirst();
            request.fail(status);
            endIfComplete(request);
        }
    }

    /** Shortest time until a command may be repeated; {@link Long#MAX_VALUE} if none waits. */
    long remainingNs(long nowNs) {
        long remainingNs = Long.MAX_VALUE;
        for (BlockCommand each : repeats) {
            remainingNs = Math.min(remainingNs, each.remainingNs(nowNs));
        }
        return remainingNs;
    }
}
