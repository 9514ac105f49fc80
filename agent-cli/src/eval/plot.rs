//! The figure of E7: what is left of memories, night by night, with feelings and without.
//!
//! Dots are what the documents of the nights tell, lines what the law says. Colours are told apart by those who see few.

use anyhow::anyhow;
use dreaming::evaluation::decay::Curve;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Of |v| = 0 to 3.
const COLOURS: [RGBColor; 4] =
    [RGBColor(110, 110, 110), RGBColor(0, 114, 178), RGBColor(204, 121, 0), RGBColor(170, 30, 60)];
const SIZE: (u32, u32) = (1_100, 520);
const FONT: &str = "sans-serif";

pub fn decay(felt: &[Curve], flat: &[Curve]) -> anyhow::Result<String> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let fail = |error: &dyn std::fmt::Display| anyhow!("drawing the decay of memories: {error}");
        area.fill(&WHITE).map_err(|e| fail(&e))?;
        let (left, right) = area.split_horizontally(SIZE.0 / 2);
        panel(&left, "Felt: the stronger, the longer", felt).map_err(|e| fail(&e))?;
        panel(&right, "Ablated: all fade alike", flat).map_err(|e| fail(&e))?;
        area.present().map_err(|e| fail(&e))?;
    }
    Ok(svg)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn panel(area: &Area, title: &str, curves: &[Curve]) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    let nights = curves.iter().filter_map(|c| c.points.last()).map(|(night, ..)| *night).max().unwrap_or(1).max(10);
    // Room for the labels at the ends of the lines.
    let right = f64::from(nights) * 1.32;
    let mut chart = ChartBuilder::on(area)
        .caption(title, (FONT, 20))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(58)
        .build_cartesian_2d(0.0..right, 0.0..1.0)?;
    chart
        .configure_mesh()
        .x_desc("nights")
        .y_desc("share of salience that is left")
        .axis_desc_style((FONT, 15))
        .label_style((FONT, 13))
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(228, 228, 228))
        .x_labels(7)
        .y_labels(6)
        .x_label_formatter(&|night| format!("{night:.0}"))
        .y_label_formatter(&|share| format!("{:.0} %", share * 100.0))
        .draw()?;
    let half = [(0.0, 0.5), (right, 0.5)];
    chart.draw_series(DashedLineSeries::new(half, 5, 4, RGBColor(150, 150, 150).stroke_width(1)))?;
    let mut labels: Vec<(f64, f64, usize, String)> = Vec::new();
    for curve in curves {
        let colour = COLOURS[usize::from(curve.felt).min(3)];
        let end = curve.points.last().map_or(0, |(night, ..)| *night);
        let law = |night: f64| (curve.fit.at_zero + curve.fit.slope * night).exp();
        let steps = (0..=end * 2).map(|half| f64::from(half) / 2.0).map(|night| (night, law(night)));
        chart.draw_series(LineSeries::new(steps, colour.stroke_width(2)))?;
        let told = curve.points.iter().step_by(4).map(|(night, share, _)| (f64::from(*night), *share));
        chart.draw_series(told.map(|at| Circle::new(at, 3, colour.filled())))?;
        let label = format!("|v| = {}: half-life {:.1}", curve.felt, curve.half_life_nights());
        labels.push((f64::from(end), law(f64::from(end)), usize::from(curve.felt).min(3), label));
    }
    // Labels beside the ends, pushed apart where the ends are close.
    labels.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.2.cmp(&a.2)));
    let mut above = f64::INFINITY;
    let ends_alike = labels.windows(2).all(|pair| pair[0].0 == pair[1].0);
    for (night, share, colour, text) in labels {
        let y = if ends_alike { share.max(0.16).min(above - 0.05) } else { share.max(0.03) };
        above = y;
        let style = TextStyle::from((FONT, 14)).color(&COLOURS[colour]).pos(Pos::new(HPos::Left, VPos::Center));
        let x = night + f64::from(nights) * 0.02;
        chart.draw_series(std::iter::once(Text::new(text, (x, y), style)))?;
    }
    Ok(())
}
