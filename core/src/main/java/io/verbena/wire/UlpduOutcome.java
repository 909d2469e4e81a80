package io.verbena.wire;

/**
 * Result of {@link Ulpdu#decode}, with the reason for a Terminate. Every result except {@link #TOO_SHORT} guarantees a
 * complete DDP header.
 */
public enum UlpduOutcome {
    /** The segment is valid as far as its own bytes show. */
    OK(TerminateCode.UNKNOWN),
    /** Shorter than its DDP header; nothing was decoded. */
    TOO_SHORT(TerminateCode.MPA_FPDU_START),
    /** A tagged segment with a DDP version other than 1. */
    TAGGED_DDP_VERSION(TerminateCode.DDP_TAGGED_VERSION),
    /** An untagged segment with a DDP version other than 1. */
    UNTAGGED_DDP_VERSION(TerminateCode.DDP_UNTAGGED_VERSION),
    /** An untagged segment for a queue that RDMAP does not have. */
    NO_SUCH_QUEUE(TerminateCode.DDP_UNTAGGED_INVALID_QN),
    /** An RDMAP version other than 1. */
    RDMAP_VERSION(TerminateCode.RDMAP_VERSION),
    /** An opcode no RFC defines. */
    UNKNOWN_OPCODE(TerminateCode.RDMAP_UNEXPECTED_OPCODE),
    /** A tagged segment with the opcode of an untagged message, or vice versa. */
    WRONG_TAGGED_FLAG(TerminateCode.RDMAP_UNEXPECTED_OPCODE),
    /** A queue that exists, but is not the opcode's. */
    WRONG_QUEUE(TerminateCode.DDP_UNTAGGED_INVALID_QN),
    /** A message of fixed length that is longer, or that announces more segments. */
    FIXED_LENGTH_EXCEEDED(TerminateCode.DDP_UNTAGGED_TOO_LONG),
    /** A message of fixed length that is shorter, or was split. */
    FIXED_LENGTH_NOT_REACHED(TerminateCode.RDMAP_OPERATION_UNSPECIFIED);

    private final TerminateCode terminateCode;

    UlpduOutcome(TerminateCode terminateCode) {
        this.terminateCode = terminateCode;
    }

    /** The reason for the Terminate message; UNKNOWN for {@link #OK}. */
    public TerminateCode terminateCode() {
        return terminateCode;
    }
}
