package io.verbena.wire;

import java.lang.foreign.MemorySegment;

/**
 * Prints FPDUs and ULPDUs, one line each, for any bytes: a malformed one is printed with its error.
 *
 * <p>Reusable, does not allocate objects; one thread.
 */
public final class FpduPrinter {
    private final FpduHeader fpdu = new FpduHeader();
    private final Ulpdu ulpdu = new Ulpdu();
    private final ReadRequest readRequest = new ReadRequest();
    private final AtomicRequest atomicRequest = new AtomicRequest();
    private final AtomicResponse atomicResponse = new AtomicResponse();
    private final ImmediateData immediateData = new ImmediateData();
    private final TerminateReader terminate = new TerminateReader();

    /**
     * Appends a line for the FPDU (contiguous, without markers) at {@code offset}, such as
     * {@code Send SE last msn=5 mo=0 len=16}.
     *
     * @param available number of readable bytes; if they do not contain the whole FPDU, the line says so
     */
    public StringBuilder describe(MemorySegment segment, long offset, long available, StringBuilder out) {
        if (!FpduHeader.fits(available)) {
            return out.append("FPDU cut before its length field");
        }
        int length = fpdu.wrap(segment, offset).ulpduLength();
        if (available < FpduHeader.LENGTH + length) {
            return out.append("FPDU cut: ulpdu=")
                    .append(length)
                    .append(" available=")
                    .append(available);
        }
        describeUlpdu(segment, offset + FpduHeader.LENGTH, length, out);
        if (available < FpduHeader.fpduLength(length)) {
            out.append(" (pad or CRC field not yet there)");
        }
        return out;
    }

    /** Appends a line for the ULPDU of {@code length} bytes at {@code offset}, all of which must be there. */
    public StringBuilder describeUlpdu(MemorySegment segment, long offset, int length, StringBuilder out) {
        UlpduOutcome outcome = ulpdu.decode(segment, offset, length);
        if (outcome != UlpduOutcome.OK) {
            out.append("BAD ").append(outcome.name()).append(": ");
            return ulpdu.describe(out);
        }
        ulpdu.describe(out);
        long payload = ulpdu.payloadOffset();
        switch (ulpdu.opcode()) {
            case READ_REQUEST -> readRequest.wrap(segment, payload).describe(out.append(' '));
            case ATOMIC_REQUEST -> atomicRequest.wrap(segment, payload).describe(out.append(' '));
            case ATOMIC_RESPONSE -> atomicResponse.wrap(segment, payload).describe(out.append(' '));
            case IMMEDIATE, IMMEDIATE_SE -> immediateData.wrap(segment, payload).describe(out.append(' '));
            case TERMINATE -> describeTerminate(segment, payload, out.append(' '));
            default -> {}
        }
        ulpdu.release();
        return out;
    }

    private void describeTerminate(MemorySegment segment, long payload, StringBuilder out) {
        TerminateReader.Outcome outcome = terminate.read(segment, payload, ulpdu.payloadLength());
        if (outcome != TerminateReader.Outcome.OK) {
            out.append(outcome.name()).append(' ');
        }
        terminate.describe(out);
    }
}
