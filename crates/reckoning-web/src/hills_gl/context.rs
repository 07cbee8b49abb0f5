//! The graphics card as the browser gives it: its program, its loss and its return.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{
    Event, HtmlCanvasElement, WebGl2RenderingContext as Gl, WebGlContextAttributes, WebGlProgram,
    WebGlUniformLocation,
};

/// What people without WebGL2 read.
const MISSING: &str = "This browser draws nothing in three dimensions: it has no WebGL2. \
    Turn on hardware acceleration in its settings, or use a newer Firefox, Chrome, Edge or Safari.";

/// Lights and fades every vertex, so that a pixel costs next to nothing: without a graphics card the
/// pixels are most of the work.
const VERTEX_SHADER: &str = include_str!("vertex.glsl");
const PIXEL_SHADER: &str = include_str!("pixel.glsl");

/// The name of a card, of the extension `WEBGL_debug_renderer_info`.
const UNMASKED_RENDERER: u32 = 0x9246;
/// What is in the names of those that are none.
const SOFTWARE: [&str; 4] = ["SwiftShader", "llvmpipe", "softpipe", "Basic Render"];

/// Attributes of a vertex and of an instance, by their places in the program.
pub const PLACE: u32 = 0;
/// The normal.
pub const NORMAL: u32 = 1;
/// The colour, and how much of the instance's it takes.
pub const COLOUR: u32 = 2;
/// The first of three rows of an instance.
pub const ROWS: u32 = 3;
/// The colour of an instance with its opacity.
pub const TINT: u32 = 6;

/// What became of the card since the last picture.
pub enum Revival {
    /// Still there.
    Here,
    /// The browser took it away.
    Gone,
    /// A new one, with nothing on it.
    Back,
}

/// The card and its program.
pub struct Context {
    /// The card.
    pub gl: Gl,
    /// Whether the processor does its work.
    pub is_software: bool,
    /// What the program is told with each picture.
    pub uniforms: Uniforms,
    canvas: HtmlCanvasElement,
    is_new: Rc<Cell<bool>>,
}

/// What the program is told with each picture.
pub struct Uniforms {
    /// From the world to the picture.
    pub view: Option<WebGlUniformLocation>,
    /// Where the eye is.
    pub eye: Option<WebGlUniformLocation>,
    /// What far things fade into.
    pub sky: Option<WebGlUniformLocation>,
    /// Light from the sky, the ground and the sun.
    pub light: Option<WebGlUniformLocation>,
}

impl Context {
    /// The card behind a canvas.
    ///
    /// # Errors
    /// What people without one can do.
    pub fn new(canvas: &HtmlCanvasElement) -> Result<Self, String> {
        let is_software = is_software(canvas);
        let gl = context(canvas, !is_software).ok_or(MISSING)?;
        let uniforms = prepare(&gl)?;
        let is_new = watch(canvas);
        Ok(Self { gl, is_software, uniforms, canvas: canvas.clone(), is_new })
    }

    /// Gives the canvas this many pixels.
    pub fn resize(&self, width: u32, height: u32) {
        if (self.canvas.width(), self.canvas.height()) != (width, height) {
            self.canvas.set_width(width);
            self.canvas.set_height(height);
        }
    }

    /// How many pixels the canvas is high.
    pub fn height(&self) -> i32 {
        self.canvas.height().cast_signed()
    }

    /// Looks whether the card is there, and prepares one that is new.
    pub fn revive(&mut self) -> Revival {
        if self.gl.is_context_lost() {
            return Revival::Gone;
        }
        if !self.is_new.take() {
            return Revival::Here;
        }
        match prepare(&self.gl) {
            Ok(uniforms) => {
                self.uniforms = uniforms;
                Revival::Back
            }
            Err(_) => Revival::Gone,
        }
    }
}

/// The card behind a canvas. Smooth edges double the work of a processor, so only cards get them.
fn context(canvas: &HtmlCanvasElement, is_smooth: bool) -> Option<Gl> {
    let wanted = WebGlContextAttributes::new();
    wanted.set_alpha(false);
    wanted.set_antialias(is_smooth);
    canvas.get_context_with_context_options("webgl2", &wanted).ok()??.dyn_into().ok()
}

/// Whether the processor does the work of a card, by what the browser calls it. A canvas keeps what
/// it was first given, so another one is asked.
fn is_software(canvas: &HtmlCanvasElement) -> bool {
    let other = canvas.clone_node().ok().and_then(|it| it.dyn_into().ok());
    let Some(gl) = other.and_then(|it: HtmlCanvasElement| context(&it, false)) else {
        return true;
    };
    // Without the extension, Chrome names no card.
    let _ = gl.get_extension("WEBGL_debug_renderer_info");
    let named = |what: u32| gl.get_parameter(what).ok().and_then(|it| it.as_string());
    let name = named(UNMASKED_RENDERER).or_else(|| named(Gl::RENDERER)).unwrap_or_default();
    SOFTWARE.iter().any(|it| name.contains(it))
}

/// Set from when a lost card is back, until somebody looked.
fn watch(canvas: &HtmlCanvasElement) -> Rc<Cell<bool>> {
    let is_new = Rc::new(Cell::new(false));
    let seen = is_new.clone();
    // Unless the loss is prevented, the browser never brings a card back.
    listen(canvas, "webglcontextlost", |event| event.prevent_default());
    listen(canvas, "webglcontextrestored", move |_| seen.set(true));
    is_new
}

fn listen(canvas: &HtmlCanvasElement, name: &str, call: impl FnMut(Event) + 'static) {
    let call = Closure::<dyn FnMut(Event)>::new(call).into_js_value();
    let _ = canvas.add_event_listener_with_callback(name, call.unchecked_ref());
}

/// Compiles the program and sets what never changes.
fn prepare(gl: &Gl) -> Result<Uniforms, String> {
    let program = program(gl)?;
    gl.use_program(Some(&program));
    for capability in [Gl::DEPTH_TEST, Gl::CULL_FACE, Gl::SCISSOR_TEST] {
        gl.enable(capability);
    }
    gl.blend_func(Gl::SRC_ALPHA, Gl::ONE_MINUS_SRC_ALPHA);
    let at = |name: &str| gl.get_uniform_location(&program, name);
    Ok(Uniforms { view: at("view"), eye: at("eye"), sky: at("sky"), light: at("light") })
}

fn program(gl: &Gl) -> Result<WebGlProgram, String> {
    let program = gl.create_program().ok_or(MISSING)?;
    for (kind, text) in [(Gl::VERTEX_SHADER, VERTEX_SHADER), (Gl::FRAGMENT_SHADER, PIXEL_SHADER)] {
        let shader = gl.create_shader(kind).ok_or(MISSING)?;
        gl.shader_source(&shader, text);
        gl.compile_shader(&shader);
        gl.attach_shader(&program, &shader);
    }
    gl.link_program(&program);
    if gl.get_program_parameter(&program, Gl::LINK_STATUS) == true {
        return Ok(program);
    }
    let said = gl.get_program_info_log(&program).unwrap_or_default();
    Err(format!("{MISSING} (It has, but does not take our program: {said})"))
}
