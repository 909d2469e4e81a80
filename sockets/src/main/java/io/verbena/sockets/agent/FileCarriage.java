package io.verbena.sockets.agent;

import io.verbena.sockets.nio.CarriedFiles;
import java.io.IOException;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassElement;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.util.Map;

/**
 * Has {@code FileChannel.transferTo} and {@code transferFrom} ask {@link CarriedFiles} first. The two methods of the
 * JDK for channels that it does not know begin with that question, if the channel is one of the provider.
 */
final class FileCarriage {

    private static final String TYPE = "sun.nio.ch.FileChannelImpl";

    private static final ClassDesc MARK = ClassDesc.of("sun.nio.ch.SelChImpl");
    private static final ClassDesc LONG = ClassDesc.of("java.lang.Long");
    private static final ClassDesc FAILURE =
            IOException.class.describeConstable().orElseThrow();
    private static final int ARGUMENTS = 5;

    /**
     * Where a method has what it is called with.
     *
     * @param channel local variable of the other channel
     * @param position that of the position in the file
     * @param count that of the number of bytes
     * @param reads whether the file is read
     */
    private record Transfer(int channel, int position, int count, boolean reads) {}

    private static final Map<String, Transfer> METHODS = Map.of(
            "transferToTrustedChannel(JJLjava/nio/channels/WritableByteChannel;)J", new Transfer(5, 1, 3, true),
            "transferFromArbitraryChannel(Ljava/nio/channels/ReadableByteChannel;JJ)J", new Transfer(1, 2, 4, false));

    private FileCarriage() {}

    /** A JDK that has other methods transfers files in its own way. */
    static void install(Instrumentation instrumentation) {
        try {
            ClassChange.apply(instrumentation, Class.forName(TYPE), FileCarriage::change);
        } catch (ReflectiveOperationException
                | UnmodifiableClassException
                | LinkageError
                | IllegalArgumentException _) {
            return; // files are mapped, as without the agent
        }
    }

    private static void change(ClassBuilder type, ClassElement element) {
        Transfer found = element instanceof MethodModel method
                ? METHODS.get(
                        method.methodName().stringValue() + method.methodType().stringValue())
                : null;
        if (found == null) {
            type.with(element);
        } else {
            type.transformMethod((MethodModel) element, MethodTransform.transformingCode(asking(found)));
        }
    }

    private static CodeTransform asking(Transfer transfer) {
        return new CodeTransform() {
            @Override
            public void atStart(CodeBuilder code) {
                ask(code, transfer);
            }

            @Override
            public void accept(CodeBuilder code, CodeElement element) {
                code.with(element);
            }
        };
    }

    /** Returns a {@code Long} or throws an {@code IOException} that the answer is; else the method continues. */
    private static void ask(CodeBuilder code, Transfer transfer) {
        Label original = code.newLabel();
        Label answered = code.newLabel();
        Label unanswered = code.newLabel();
        code.aload(transfer.channel)
                .instanceOf(MARK)
                .ifeq(original)
                .loadConstant((ConstantDesc) LoadedConstant.of(CarriedFiles.class))
                .loadConstant(ARGUMENTS)
                .anewarray(ConstantDescs.CD_Object);
        store(code, 0, () -> code.aload(0));
        store(code, 1, () -> box(code.lload(transfer.position)));
        store(code, 2, () -> box(code.lload(transfer.count)));
        store(code, 3, () -> code.aload(transfer.channel));
        store(
                code,
                4,
                () -> code.getstatic(
                        ConstantDescs.CD_Boolean, transfer.reads ? "TRUE" : "FALSE", ConstantDescs.CD_Boolean));
        code.invokeinterface(
                        LoadedConstant.FUNCTION,
                        "apply",
                        MethodTypeDesc.of(ConstantDescs.CD_Object, ConstantDescs.CD_Object))
                .dup()
                .instanceOf(LONG)
                .ifne(answered)
                .dup()
                .instanceOf(FAILURE)
                .ifeq(unanswered)
                .checkcast(FAILURE)
                .athrow()
                .labelBinding(answered)
                .checkcast(LONG)
                .invokevirtual(LONG, "longValue", MethodTypeDesc.of(ConstantDescs.CD_long))
                .lreturn()
                .labelBinding(unanswered)
                .pop()
                .labelBinding(original);
    }

    private static void store(CodeBuilder code, int index, Runnable value) {
        code.dup().loadConstant(index);
        value.run();
        code.aastore();
    }

    private static void box(CodeBuilder code) {
        code.invokestatic(LONG, "valueOf", MethodTypeDesc.of(LONG, ConstantDescs.CD_long));
    }
}
