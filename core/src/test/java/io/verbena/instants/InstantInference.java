package io.verbena.instants;

import com.sun.source.tree.ArrayAccessTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.CompoundAssignmentTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.ReturnTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TypeCastTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import org.jspecify.annotations.Nullable;

/**
 * Infers which {@code long} expressions of a program are instants of a nanosecond clock, and finds those that are
 * compared by value. Such a clock wraps around, so only differences of instants have an order.
 *
 * <p>Instants begin at the clock ({@code System.nanoTime()}, {@code nowNs()}) and at names that indicate an instant.
 * From there they spread until nothing changes: by assignment, argument, and result; an instant plus any value is an
 * instant; the difference of two instants is a duration. The inference therefore does not depend on names.
 */
final class InstantInference {

    private static final Pattern INSTANT_NAME = Pattern.compile(
            "nowNs|(\\w+D|d)eadlineNs|\\w+(At|Until|Since)Ns|sinceNs|(start|started|begin|began|end|ended)Ns|\\w*[sS]ignalledNs");

    /** Where the order of two arguments is taken by value. */
    private static final Set<String> COMPARE_BY_VALUE = Set.of(
            "java.lang.Math.min",
            "java.lang.Math.max",
            "java.lang.Math.clamp",
            "java.lang.Long.compare",
            "java.lang.Long.min",
            "java.lang.Long.max",
            "java.lang.Math.abs",
            "java.util.Comparator.comparingLong");

    private final Trees trees;
    private final List<CompilationUnitTree> units;
    private final TreePath root;
    private final Set<Element> instants = new HashSet<>();
    private final List<Flow> flows = new ArrayList<>();
    private final Map<Tree, Optional<Element>> elements = new IdentityHashMap<>();
    private final SortedSet<String> violations = new TreeSet<>();

    /** The value of an expression becomes that of a variable, or the result of a method. */
    private record Flow(Tree source, Element target) {}

    InstantInference(JavacTask task, List<CompilationUnitTree> units) {
        this.trees = Trees.instance(task);
        this.units = units;
        this.root = new TreePath(units.getFirst());
    }

    /** Places where an instant is compared by value, as "file:line: code". */
    SortedSet<String> violations() {
        Flows flows = new Flows();
        units.forEach(unit -> flows.scan(unit, false));
        int before;
        do {
            before = instants.size();
            this.flows.removeIf(this::spread);
        } while (instants.size() > before);
        units.forEach(unit -> new Search().scan(unit, false));
        return violations;
    }

    /** Follows one flow; whether it is done with. */
    private boolean spread(Flow flow) {
        if (instants.contains(flow.target())) {
            return true;
        }
        if (new Flows().instant(flow.source())) {
            instants.add(flow.target());
        }
        return false;
    }

    /** How many fields, variables, parameters and methods are instants. */
    int known() {
        return instants.size();
    }

    /** What both passes need: what an expression is. */
    private abstract class Pass extends TreePathScanner<Boolean, Boolean> {

        final @Nullable Element element(Tree tree) {
            // An attributed tree knows its element, whatever the path says.
            return elements.computeIfAbsent(tree, key -> Optional.ofNullable(trees.getElement(new TreePath(root, key))))
                    .orElse(null);
        }

        final boolean instant(@Nullable Tree tree) {
            return switch (tree) {
                case ParenthesizedTree inner -> instant(inner.getExpression());
                case TypeCastTree cast -> isLong(cast) && instant(cast.getExpression());
                case ConditionalExpressionTree either ->
                    instant(either.getTrueExpression()) || instant(either.getFalseExpression());
                case AssignmentTree assigned -> instant(assigned.getVariable()) || instant(assigned.getExpression());
                case BinaryTree binary -> isSum(binary);
                case IdentifierTree name -> named(element(name));
                case MemberSelectTree member -> named(element(member));
                case ArrayAccessTree entry -> named(element(entry.getExpression()));
                case MethodInvocationTree call -> isCallOfInstant(call);
                case SwitchExpressionTree chosen -> yields(chosen);
                case null, default -> false;
            };
        }

        private boolean isLong(TypeCastTree cast) {
            return cast.getType().toString().equals("long");
        }

        private boolean isSum(BinaryTree binary) {
            boolean left = instant(binary.getLeftOperand());
            boolean right = instant(binary.getRightOperand());
            return switch (binary.getKind()) {
                case PLUS -> left || right;
                case MINUS -> left && !right;
                default -> false;
            };
        }

        private boolean isCallOfInstant(MethodInvocationTree call) {
            if (!(element(call.getMethodSelect()) instanceof ExecutableElement method)) {
                return false;
            }
            String name = qualified(method);
            if (name.equals("java.lang.System.nanoTime")) {
                return true;
            }
            if (name.equals("java.util.function.LongSupplier.getAsLong")
                    && call.getMethodSelect() instanceof MemberSelectTree select) {
                return select.getExpression().toString().endsWith("clock");
            }
            if (name.startsWith("java.lang.Math.m")) {
                return call.getArguments().stream().anyMatch(this::instant);
            }
            return method.getReturnType().getKind() == TypeKind.LONG && (named(method) || accessesInstant(method));
        }

        private boolean accessesInstant(ExecutableElement method) {
            return method.getParameters().isEmpty() && instants.contains(componentOf(method, method));
        }

        private boolean yields(SwitchExpressionTree chosen) {
            return chosen.getCases().stream()
                    .anyMatch(one -> one.getBody() instanceof ExpressionTree value && instant(value));
        }

        private boolean named(@Nullable Element element) {
            return element != null
                    && (instants.contains(element)
                            || isLong(element)
                                    && INSTANT_NAME
                                            .matcher(element.getSimpleName())
                                            .matches());
        }

        final boolean isLong(Element element) {
            return switch (element) {
                case VariableElement variable -> Set.of("long", "long[]").contains(bare(variable.asType()));
                case ExecutableElement method -> bare(method.getReturnType()).equals("long");
                default -> false;
            };
        }

        private String bare(TypeMirror type) {
            return type.getKind() == TypeKind.ARRAY
                    ? ((ArrayType) type).getComponentType().getKind() == TypeKind.LONG ? "long[]" : ""
                    : type.getKind() == TypeKind.LONG ? "long" : "";
        }

        /** The field of a record that a parameter of its constructor, or its accessor, stands for. */
        final @Nullable Element componentOf(ExecutableElement method, Element named) {
            Element type = method.getEnclosingElement();
            if (type == null || type.getKind() != ElementKind.RECORD) {
                return null;
            }
            for (Element member : type.getEnclosedElements()) {
                if (member.getKind() == ElementKind.FIELD
                        && member.getSimpleName().equals(named.getSimpleName())) {
                    return member;
                }
            }
            return null;
        }

        final String qualified(ExecutableElement method) {
            return method.getEnclosingElement() + "." + method.getSimpleName();
        }
    }

    /** Finds what flows where. */
    private final class Flows extends Pass {

        private void flow(@Nullable Tree source, @Nullable Element target) {
            if (source != null && target != null && isLong(target)) {
                flows.add(new Flow(source, target));
            }
        }

        @Override
        public Boolean visitVariable(VariableTree variable, Boolean unused) {
            flow(variable.getInitializer(), trees.getElement(getCurrentPath()));
            return super.visitVariable(variable, unused);
        }

        @Override
        public Boolean visitAssignment(AssignmentTree assignment, Boolean unused) {
            ExpressionTree into = assignment.getVariable();
            flow(
                    assignment.getExpression(),
                    element(into instanceof ArrayAccessTree entry ? entry.getExpression() : into));
            return super.visitAssignment(assignment, unused);
        }

        @Override
        public Boolean visitCompoundAssignment(CompoundAssignmentTree assignment, Boolean unused) {
            if (assignment.getKind() == Tree.Kind.PLUS_ASSIGNMENT) {
                flow(assignment.getExpression(), element(assignment.getVariable()));
            }
            return super.visitCompoundAssignment(assignment, unused);
        }

        @Override
        public Boolean visitReturn(ReturnTree returned, Boolean unused) {
            for (TreePath at = getCurrentPath(); at != null; at = at.getParentPath()) {
                if (at.getLeaf() instanceof LambdaExpressionTree) {
                    break;
                }
                if (at.getLeaf() instanceof MethodTree) {
                    flow(returned.getExpression(), trees.getElement(at));
                    break;
                }
            }
            return super.visitReturn(returned, unused);
        }

        @Override
        public Boolean visitMethodInvocation(MethodInvocationTree call, Boolean unused) {
            flowIntoParameters(element(call.getMethodSelect()), call.getArguments());
            return super.visitMethodInvocation(call, unused);
        }

        @Override
        public Boolean visitNewClass(NewClassTree creation, Boolean unused) {
            flowIntoParameters(trees.getElement(getCurrentPath()), creation.getArguments());
            return super.visitNewClass(creation, unused);
        }

        private void flowIntoParameters(@Nullable Element called, List<? extends ExpressionTree> arguments) {
            if (!(called instanceof ExecutableElement method)
                    || qualified(method).startsWith("java")) {
                return;
            }
            List<? extends VariableElement> parameters = method.getParameters();
            for (int i = 0; i < Math.min(parameters.size(), arguments.size()); i++) {
                flow(arguments.get(i), parameters.get(i));
                flow(arguments.get(i), componentOf(method, parameters.get(i)));
            }
        }
    }

    /** Comparisons by value. */
    private final class Search extends Pass {

        @Override
        public Boolean visitBinary(BinaryTree binary, Boolean unused) {
            boolean ordered = switch (binary.getKind()) {
                case LESS_THAN, LESS_THAN_EQUAL, GREATER_THAN, GREATER_THAN_EQUAL -> true;
                default -> false;
            };
            boolean left = instant(binary.getLeftOperand());
            boolean right = instant(binary.getRightOperand());
            boolean byValue = left && right
                    || left && !difference(binary.getLeftOperand())
                    || right && !difference(binary.getRightOperand());
            if (ordered && byValue) {
                report(binary);
            }
            return super.visitBinary(binary, unused);
        }

        @Override
        public Boolean visitMethodInvocation(MethodInvocationTree call, Boolean unused) {
            if (element(call.getMethodSelect()) instanceof ExecutableElement method
                    && COMPARE_BY_VALUE.contains(qualified(method))
                    && call.getArguments().stream().anyMatch(this::ordersInstants)) {
                report(call);
            }
            return super.visitMethodInvocation(call, unused);
        }

        /** Whether it may be a difference of instants of which one is not known as such. */
        private boolean difference(Tree tree) {
            return tree instanceof BinaryTree binary
                    && binary.getKind() == Tree.Kind.MINUS
                    && !(binary.getRightOperand() instanceof LiteralTree);
        }

        private boolean ordersInstants(Tree argument) {
            return switch (argument) {
                case MemberReferenceTree reference -> isCallOf(reference);
                case LambdaExpressionTree lambda -> instant(lambda.getBody());
                default -> instant(argument);
            };
        }

        private boolean isCallOf(MemberReferenceTree reference) {
            Element target = element(reference);
            return target != null
                    && (instants.contains(target)
                            || INSTANT_NAME.matcher(target.getSimpleName()).matches());
        }

        private void report(Tree tree) {
            CompilationUnitTree unit = getCurrentPath().getCompilationUnit();
            long line =
                    unit.getLineMap().getLineNumber(trees.getSourcePositions().getStartPosition(unit, tree));
            violations.add(unit.getSourceFile().getName() + ":" + line + ": " + tree);
        }
    }
}
