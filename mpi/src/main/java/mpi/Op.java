package mpi;

import io.verbena.messaging.collective.PredefinedReduction;
import io.verbena.messaging.collective.Reduction;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** How elements are combined (MPI_Op): a predefined operation, or one of the program. */
public final class Op {

    private final boolean commutative;
    private final Map<Datatype, Reduction> reductions = new ConcurrentHashMap<>();
    private final Source source;
    private final boolean ofProgram;

    private interface Source {
        Reduction of(Datatype type);
    }

    Op(PredefinedReduction reduction) {
        commutative = true;
        ofProgram = false;
        source = type -> reduction;
    }

    /** An operation of windows. */
    Op(Reduction reduction) {
        commutative = false;
        ofProgram = false;
        source = type -> reduction;
    }

    /** An operation of the program. */
    public Op(UserFunction function, boolean commute) {
        commutative = commute;
        ofProgram = true;
        // Vectors of a type with several basic elements must not be divided: such a reduction keeps whole vectors.
        source = type -> Reduction.of(
                (in, inout, ignored) -> {
                    try {
                        combine(function, type, in, inout);
                    } catch (MPIException e) {
                        throw new IllegalStateException(e.getMessage(), e);
                    }
                },
                commute && type.isBasic());
    }

    /** Memory that is an array of another type than byte has no byte buffer: the function gets a copy. */
    private static void combine(UserFunction function, Datatype type, MemorySegment in, MemorySegment inout)
            throws MPIException {
        int count = (int) (in.byteSize() / type.getSize());
        ByteBuffer other = in.isNative() ? in.asByteBuffer() : ByteBuffer.wrap(in.toArray(ValueLayout.JAVA_BYTE));
        if (inout.isNative()) {
            function.call(other, inout.asByteBuffer(), count, type);
            return;
        }
        byte[] own = inout.toArray(ValueLayout.JAVA_BYTE);
        function.call(other, ByteBuffer.wrap(own), count, type);
        MemorySegment.copy(own, 0, inout, ValueLayout.JAVA_BYTE, 0, own.length);
    }

    /** Returns whether this is an operation of the program. */
    boolean isOfProgram() {
        return ofProgram;
    }

    Reduction reduction(Datatype type) throws MPIException {
        if (type.mixed() && source.of(type) instanceof PredefinedReduction) {
            throw new MPIException(
                    MPI.ERR_OP,
                    "a predefined operation does not combine elements of different types: use an Op with a function");
        }
        Reduction found = reductions.computeIfAbsent(type, source::of);
        if (found instanceof PredefinedReduction && !found.accepts(type.base())) {
            throw new MPIException(MPI.ERR_OP, found.title() + " does not combine elements of the type " + type.base());
        }
        if (found instanceof PredefinedReduction
                && found != PredefinedReduction.SUM
                && (type.equals(MPI.FLOAT_COMPLEX) || type.equals(MPI.DOUBLE_COMPLEX))) {
            throw new MPIException(
                    MPI.ERR_OP, found.title() + " does not combine complex numbers: use an Op with a function");
        }
        return found;
    }

    public boolean isCommutative() {
        return commutative;
    }

    /** Has no effect: the garbage collector frees operations. */
    public void free() {}

    public boolean isNull() {
        return false;
    }
}
