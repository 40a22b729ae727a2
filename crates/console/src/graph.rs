//! Pictures of what waits for what: a layered layout as SVG, prerequisites to the left.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use crate::html::{Html, escape};

/// Something that waits or is waited for.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// What it is called; shortened where it doesn't fit.
    pub(crate) title: String,
    /// What stands below that: its status in words, who holds it.
    pub(crate) note: String,
    /// The word of its status, which chooses its colour as it does for badges.
    pub(crate) tone: &'static str,
    /// Where it leads.
    pub(crate) href: String,
}

/// That one node waits for another; both are places in the list of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    /// What has to be finished first.
    pub(crate) before: usize,
    /// What waits for it.
    pub(crate) after: usize,
}

const WIDTH: usize = 196;
const HEIGHT: usize = 54;
/// Room between two columns, for lines.
const GUTTER: usize = 36;
const GAP: usize = 16;
/// The height of a line that passes through a column.
const LANE: usize = 12;
const MARGIN: usize = 8;
/// Columns of nodes that nothing is connected with.
const LOOSE_COLUMNS: usize = 3;
/// Widest title and note, in letters of the Latin alphabet.
const TITLE: usize = 22;
const NOTE: usize = 28;
/// How often the columns are sorted by what they are connected with.
const SWEEPS: usize = 6;
/// Most places at which lines pass through columns; beyond that they take the straight way.
const MOST_LANES: usize = 4_000;

/// Draws a graph. What it says stands nowhere else for those who can't see it, so that a page adds a list in words.
/// Edges that lead in a circle are drawn against the direction; edges of nodes that are not there are left out. The time
/// it takes grows with nodes and edges; a page draws some hundreds at most.
pub(crate) fn draw(nodes: &[Node], edges: &[Edge], label: &str) -> Html {
    if nodes.is_empty() {
        return Html::default();
    }
    let edges: BTreeSet<Edge> = edges
        .iter()
        .copied()
        .filter(|edge| edge.before < nodes.len() && edge.after < nodes.len() && edge.before != edge.after)
        .collect();
    let layout = Layout::of(nodes.len(), &edges);
    let (width, height) = layout.size;
    let mut svg = format!(
        "<div class=\"graph scroll\"><svg role=\"group\" aria-label=\"{}\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\"><defs><marker id=\"graph-arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" \
         markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path class=\"arrow\" d=\"M0 0L8 4L0 8z\"/></marker></defs>",
        escape(label)
    );
    for line in &layout.lines {
        let class = if line.backward { "line back" } else { "line" };
        let _ = write!(
            svg,
            "<path class=\"{class}\" fill=\"none\" d=\"{}\" marker-end=\"url(#graph-arrow)\"/>",
            line.path()
        );
    }
    for (node, (x, y)) in nodes.iter().zip(&layout.places) {
        let _ = write!(
            svg,
            "<a href=\"{href}\" class=\"node s-{tone}\"><title>{title}</title><rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" \
             height=\"{HEIGHT}\" rx=\"8\"/><text class=\"name\" x=\"{tx}\" y=\"{ty}\">{name}</text><text class=\"note\" \
             x=\"{tx}\" y=\"{ny}\">{note}</text></a>",
            href = escape(&node.href),
            tone = escape(node.tone),
            title = escape(&node.title),
            tx = x + 12,
            ty = y + 22,
            ny = y + 42,
            name = escape(&fit(&node.title, TITLE)),
            note = escape(&fit(&node.note, NOTE)),
        );
    }
    svg.push_str("</svg></div>");
    Html::trusted(svg)
}

/// Text that takes no more room than so many letters of the Latin alphabet.
fn fit(text: &str, most: usize) -> String {
    let wide = |letter: char| if u32::from(letter) >= 0x1100 { 2 } else { 1 };
    if text.chars().map(wide).sum::<usize>() <= most {
        return text.to_owned();
    }
    let mut room = most.saturating_sub(1);
    let mut short: String = text
        .chars()
        .take_while(|letter| {
            let fits = wide(*letter) <= room;
            room = room.saturating_sub(wide(*letter));
            fits
        })
        .collect();
    let end = short.trim_end().len();
    short.truncate(end);
    short.push('…');
    short
}

/// Where everything is.
struct Layout {
    /// The corner of each node.
    places: Vec<(usize, usize)>,
    lines: Vec<Line>,
    size: (usize, usize),
}

struct Line {
    /// Where it begins and ends, and between them where it enters and leaves columns.
    points: Vec<(usize, usize)>,
    backward: bool,
}

impl Line {
    fn path(&self) -> String {
        let mut path = String::new();
        for (at, pair) in self.points.windows(2).enumerate() {
            let [(x, y), (to_x, to_y)] = *pair else { continue };
            if at == 0 {
                let _ = write!(path, "M{x} {y}");
            }
            if y == to_y && !self.backward {
                let _ = write!(path, "L{to_x} {to_y}");
            } else if self.backward {
                let _ = write!(path, "C{} {y} {} {to_y} {to_x} {to_y}", x + GUTTER, to_x.saturating_sub(GUTTER));
            } else {
                let middle = usize::midpoint(x, to_x);
                let _ = write!(path, "C{middle} {y} {middle} {to_y} {to_x} {to_y}");
            }
        }
        path
    }
}

/// What takes room in a column: a node, or a line that passes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    Node(usize),
    Lane { edge: Edge, column: usize },
}

impl Item {
    const fn height(self) -> usize {
        match self {
            Self::Node(_) => HEIGHT,
            Self::Lane { .. } => LANE,
        }
    }
}

impl Layout {
    fn of(count: usize, edges: &BTreeSet<Edge>) -> Self {
        let connected: BTreeSet<usize> = edges.iter().flat_map(|edge| [edge.before, edge.after]).collect();
        let column = columns(&connected, edges);
        let of = |node: usize| column.get(&node).copied().unwrap_or_default();
        let last = column.values().copied().max().unwrap_or_default();
        let lanes: usize = edges.iter().map(|edge| of(edge.after).saturating_sub(of(edge.before) + 1)).sum();
        let through = lanes <= MOST_LANES;
        // From item to item of the next column: that is what the order within columns follows.
        let mut chains: Vec<(Edge, Vec<Item>)> = Vec::new();
        for edge in edges {
            let mut chain = vec![Item::Node(edge.before)];
            if through {
                chain.extend((of(edge.before) + 1..of(edge.after)).map(|column| Item::Lane { edge: *edge, column }));
            }
            chain.push(Item::Node(edge.after));
            chains.push((*edge, chain));
        }
        let mut stacks: Vec<Vec<Item>> = vec![Vec::new(); if connected.is_empty() { 0 } else { last + 1 }];
        let nodes = connected.iter().map(|node| (of(*node), Item::Node(*node)));
        let lanes = chains.iter().flat_map(|(_, chain)| chain).filter_map(|item| match item {
            Item::Lane { column, .. } => Some((*column, *item)),
            Item::Node(_) => None,
        });
        for (column, item) in nodes.chain(lanes) {
            if let Some(stack) = stacks.get_mut(column) {
                stack.push(item);
            }
        }
        untangle(
            &mut stacks,
            chains.iter().filter(|(edge, _)| of(edge.before) < of(edge.after)).map(|(_, chain)| chain),
        );
        let (corners, bottom) = stacked(&stacks);
        let mut layout = Self { places: vec![(0, 0); count], lines: Vec::new(), size: (0, 0) };
        for (edge, chain) in &chains {
            let points = chain.iter().enumerate().flat_map(|(at, item)| {
                let (x, y) = corners.get(item).copied().unwrap_or_default();
                let middle = y + item.height() / 2;
                let (enters, leaves) = ((x, middle), (x + WIDTH, middle));
                match item {
                    Item::Node(_) if at == 0 => vec![leaves],
                    Item::Node(_) => vec![enters],
                    Item::Lane { .. } => vec![enters, leaves],
                }
            });
            layout.lines.push(Line { points: points.collect(), backward: of(edge.before) >= of(edge.after) });
        }
        layout.place(&corners, bottom, stacks.len());
        layout
    }

    /// Puts the nodes into their places, those that nothing is connected with in rows below the others.
    fn place(&mut self, corners: &BTreeMap<Item, (usize, usize)>, bottom: usize, columns: usize) {
        let across = columns.max(LOOSE_COLUMNS);
        let top = if columns == 0 { MARGIN } else { bottom + GAP };
        let mut loose = 0;
        for (node, place) in self.places.iter_mut().enumerate() {
            *place = corners.get(&Item::Node(node)).copied().unwrap_or_else(|| {
                let (row, column) = (loose / across, loose % across);
                loose += 1;
                (left(column), top + row * (HEIGHT + GAP))
            });
        }
        let edge = |of: fn(&(usize, usize)) -> usize| self.places.iter().map(of).max().unwrap_or_default();
        self.size = (edge(|place| place.0) + WIDTH + MARGIN, edge(|place| place.1) + HEIGHT + MARGIN);
        self.size.1 = self.size.1.max(if columns == 0 { 0 } else { bottom });
    }
}

const fn left(column: usize) -> usize {
    MARGIN + column * (WIDTH + GUTTER)
}

/// In which column each node is: behind everything that it waits for. Where nodes wait for each other in a circle, one
/// of them is taken as if it did not wait.
fn columns(nodes: &BTreeSet<usize>, edges: &BTreeSet<Edge>) -> BTreeMap<usize, usize> {
    let mut waits: BTreeMap<usize, usize> = nodes.iter().map(|node| (*node, 0)).collect();
    let mut followers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for edge in edges {
        *waits.entry(edge.after).or_default() += 1;
        followers.entry(edge.before).or_default().push(edge.after);
    }
    let mut columns: BTreeMap<usize, usize> = BTreeMap::new();
    let mut ready: BTreeSet<usize> = waits.iter().filter(|(_, count)| **count == 0).map(|(node, _)| *node).collect();
    while let Some(node) = ready.pop_first().or_else(|| waits.keys().next().copied()) {
        waits.remove(&node);
        let column = *columns.entry(node).or_default();
        for follower in followers.get(&node).into_iter().flatten() {
            let Some(count) = waits.get_mut(follower) else { continue };
            *count = count.saturating_sub(1);
            if *count == 0 {
                ready.insert(*follower);
            }
            let behind = columns.entry(*follower).or_default();
            *behind = (*behind).max(column + 1);
        }
    }
    columns
}

/// Sorts each column by where what it is connected with is, back and forth, so that few lines cross.
fn untangle<'c>(stacks: &mut [Vec<Item>], chains: impl Iterator<Item = &'c Vec<Item>>) {
    let (mut before, mut after): (BTreeMap<Item, Vec<Item>>, BTreeMap<Item, Vec<Item>>) = Default::default();
    for chain in chains {
        for pair in chain.windows(2) {
            let [from, to] = *pair else { continue };
            before.entry(to).or_default().push(from);
            after.entry(from).or_default().push(to);
        }
    }
    let mut order: BTreeMap<Item, usize> = BTreeMap::new();
    for stack in stacks.iter() {
        order.extend(stack.iter().enumerate().map(|(at, item)| (*item, at)));
    }
    for sweep in 0..SWEEPS {
        let neighbours = if sweep % 2 == 0 { &before } else { &after };
        for stack in stacks.iter_mut() {
            // A mean in thousandths, since numbers with a point have no order.
            stack.sort_by_cached_key(|item| match neighbours.get(item) {
                Some(others) if !others.is_empty() => {
                    others.iter().filter_map(|other| order.get(other)).sum::<usize>() * 1_000 / others.len()
                }
                _ => order.get(item).copied().unwrap_or_default() * 1_000,
            });
            order.extend(stack.iter().enumerate().map(|(at, item)| (*item, at)));
        }
    }
}

/// The corners of what is stacked in columns, each in the middle of the picture's height, and where the tallest ends.
fn stacked(stacks: &[Vec<Item>]) -> (BTreeMap<Item, (usize, usize)>, usize) {
    let tall = |stack: &Vec<Item>| stack.iter().map(|item| item.height() + GAP).sum::<usize>();
    let tallest = stacks.iter().map(tall).max().unwrap_or_default();
    let mut corners = BTreeMap::new();
    for (column, stack) in stacks.iter().enumerate() {
        let mut y = MARGIN + (tallest - tall(stack)) / 2;
        for item in stack {
            corners.insert(*item, (left(column), y));
            y += item.height() + GAP;
        }
    }
    (corners, MARGIN + tallest)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::indexing_slicing, reason = "tests")]

    use super::*;

    fn edges(pairs: &[(usize, usize)]) -> BTreeSet<Edge> {
        pairs.iter().map(|(before, after)| Edge { before: *before, after: *after }).collect()
    }

    fn node(title: &str) -> Node {
        Node { title: title.into(), note: "Open".into(), tone: "open", href: "/tasks/1?a=1&b=2".into() }
    }

    #[test]
    fn what_waits_stands_right_of_what_it_waits_for() {
        let edges = edges(&[(0, 1), (1, 2), (0, 2), (3, 2), (2, 4)]);
        let layout = Layout::of(6, &edges);
        for edge in &edges {
            assert!(layout.places[edge.before].0 < layout.places[edge.after].0, "{edge:?}");
        }
        assert!(layout.lines.iter().all(|line| !line.backward));
    }

    #[test]
    fn nothing_lies_on_anything_else() {
        let pairs: Vec<(usize, usize)> = (0..40).map(|n| (n / 3, n + 1)).chain([(0, 40), (1, 39)]).collect();
        let layout = Layout::of(60, &edges(&pairs));
        for (at, (x, y)) in layout.places.iter().enumerate() {
            assert!(x + WIDTH <= layout.size.0 && y + HEIGHT <= layout.size.1, "{at} sticks out");
            for (other_x, other_y) in &layout.places[at + 1..] {
                assert!(x.abs_diff(*other_x) >= WIDTH || y.abs_diff(*other_y) >= HEIGHT, "{at} is covered");
            }
        }
    }

    #[test]
    fn a_long_line_goes_round_the_nodes_between() {
        let layout = Layout::of(3, &edges(&[(0, 1), (1, 2), (0, 2)]));
        let long = layout.lines.iter().find(|line| line.points.len() == 4).map(|line| line.points[1].1);
        let (_, y) = layout.places[1];
        assert!(long.is_some_and(|at| at < y || at > y + HEIGHT), "{long:?} {y}");
    }

    #[test]
    fn lines_that_need_not_cross_do_not() {
        let layout = Layout::of(4, &edges(&[(0, 3), (1, 2)]));
        let above = |a: usize, b: usize| layout.places[a].1 < layout.places[b].1;
        assert_eq!(above(0, 1), above(3, 2));
    }

    #[test]
    fn a_circle_is_drawn_and_shows_as_one() {
        let layout = Layout::of(3, &edges(&[(0, 1), (1, 2), (2, 0)]));
        assert_eq!(layout.lines.iter().filter(|line| line.backward).count(), 1);
    }

    #[test]
    fn what_is_written_into_a_picture_is_text() {
        let nodes = [node("</text><script>alert(1)</script>"), node("b")];
        let stray = [Edge { before: 0, after: 1 }, Edge { before: 0, after: 9 }, Edge { before: 1, after: 1 }];
        let html = draw(&nodes, &stray, "\"><script>").to_string();
        assert!(!html.contains("<script") && html.contains("href=\"/tasks/1?a=1&amp;b=2\""), "{html}");
        assert_eq!(html.matches("class=\"line\"").count(), 1, "{html}");
        assert_eq!(draw(&[], &[], "x").to_string(), "");
    }

    #[test]
    fn a_long_title_is_shortened_by_the_room_it_takes() {
        assert_eq!(fit("short", 25), "short");
        assert_eq!(fit(&"a".repeat(30), 10), format!("{}…", "a".repeat(9)));
        assert_eq!(fit(&"界".repeat(30), 10), format!("{}…", "界".repeat(4)));
    }

    #[test]
    fn many_nodes_take_little_time() {
        let pairs: Vec<(usize, usize)> = (0..1_500).flat_map(|n| [(n, n + 1), (n / 7, n + 1)]).collect();
        assert_eq!(Layout::of(1_501, &edges(&pairs)).places.len(), 1_501);
    }
}
